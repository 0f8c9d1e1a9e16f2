import ts from "typescript";

/**
 * Compiles TypeScript under `strict`, with each file's text by its name, and returns what the compiler says. The files
 * may import each other.
 */
export function compile(files: Record<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name in files || fileExists(name);
  host.readFile = (name) => files[name] ?? readFile(name);
  host.getSourceFile = (name, language, ...rest) =>
    name in files ? ts.createSourceFile(name, files[name] ?? "", language) : getSourceFile(name, language, ...rest);
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const { line = 0 } = file?.getLineAndCharacterOfPosition(start) ?? {};
    return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}
