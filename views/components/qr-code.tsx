/** A QR code, black on white in every theme: scanners are not made for light on dark. */
export function QrCode({ modules, label }: { modules: boolean[][]; label: string }) {
  const size = modules.length;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={modules.map(rowOf).join("")} />
    </svg>
  );
}

/** The dark modules of a row, one rectangle for each run. */
const rowOf = (row: boolean[], y: number) =>
  [
    ...row
      .map((isDark) => (isDark ? "#" : " "))
      .join("")
      .matchAll(/#+/g),
  ]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join("");
