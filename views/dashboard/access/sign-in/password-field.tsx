import { Icon } from "../../../components/icon";

type PasswordProps = {
  label: string;
  autocomplete: "current-password" | "new-password";
  hint?: string;
  error?: string | undefined;
};

/** A password field. With JavaScript, the password can be shown. */
export const PasswordField = ({ label, autocomplete, hint, error }: PasswordProps) => {
  const described = [hint && "password-hint", error && "password-error"].filter(Boolean).join(" ") || undefined;
  const minLength = autocomplete === "new-password" ? 12 : undefined;
  return (
    <div class="field">
      <label for="f-password">{label}</label>
      <div class="reveal">
        <input
          class="input"
          id="f-password"
          name="password"
          type="password"
          required
          minlength={minLength}
          maxlength={minLength && 128}
          autocomplete={autocomplete}
          aria-describedby={described}
          aria-invalid={error ? "true" : undefined}
        />
        <button
          type="button"
          class="btn with-script"
          data-reveal="f-password"
          aria-label="Show password"
          aria-pressed="false"
        >
          Show
        </button>
      </div>
      {hint && (
        <p class="hint" id="password-hint">
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id="password-error">
          <Icon name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
};
