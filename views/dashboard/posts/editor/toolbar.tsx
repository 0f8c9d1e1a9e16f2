import { Icon } from "../../../components/icon";
import { path } from "../state";

export const tools = [
  { tool: "bold", icon: "bold", name: "Bold", key: "B" },
  { tool: "italic", icon: "italic", name: "Italic", key: "I" },
  { tool: "heading", icon: "heading", name: "Heading" },
  { tool: "link", icon: "link", name: "Link", key: "K" },
  { tool: "quote", icon: "quote", name: "Quote" },
  { tool: "code", icon: "code", name: "Code" },
  { tool: "list", icon: "list", name: "List" },
] as const;
type Tool = { tool: string; icon: string; name: string; key?: string };
export const mergeField = { tool: "field", icon: "braces", name: "Merge field" } as const;

/** Buttons for the Markdown syntax. One tab stop; arrow keys move within it. */
export const Toolbar = ({ tools }: { tools: readonly Tool[] }) => (
  <div class="tools with-script" role="toolbar" id="toolbar" aria-label="Formatting" aria-controls="content">
    {tools.map(({ tool, icon, name, key }, i) => (
      <button
        type="button"
        class="btn sm icon-only quiet"
        id={`tool-${tool}`}
        data-tool={tool}
        aria-label={name}
        title={key ? `${name} (Ctrl or ⌘ ${key})` : name}
        aria-keyshortcuts={key ? `Control+${key} Meta+${key}` : undefined}
        tabindex={i ? "-1" : "0"}
      >
        <Icon name={icon} />
      </button>
    ))}
    <button
      type="button"
      class="btn sm icon-only quiet"
      id="tool-image"
      aria-label="Image"
      title="Image"
      tabindex="-1"
      hx-get={`${path}/pictures?for=content`}
      hx-target="#dialog"
    >
      <Icon name="image" />
    </button>
  </div>
);
