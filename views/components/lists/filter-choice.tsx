export type Options = readonly (string | readonly [value: string, label: string])[];

type ChoiceProps = { name: string; label: string; all: string; options: Options; value: string };

export const Choice = ({ name, label, all, options, value }: ChoiceProps) =>
  options.length < 1 ? null : (
    <div class="filter">
      <label class="sr" for={`filter-${name}`}>
        {label}
      </label>
      <select class="input" id={`filter-${name}`} name={name}>
        <option value="">{all}</option>
        {options
          .map((option) => (typeof option === "string" ? ([option, option] as const) : option))
          .map(([option, text]) => (
            <option value={option} selected={option === value}>
              {text}
            </option>
          ))}
      </select>
    </div>
  );
