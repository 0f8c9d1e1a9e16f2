import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import { Icon } from "../../../components/icon";

/** Sends a test to oneself, or to a few others. The text is saved first. */
export const TestCard = ({ to, errors = [] }: { to: string; errors?: FieldError[] | undefined }) => {
  const error = errorOf(errors, "testTo", "The list of addresses");
  return (
    <section class="card" id="test" aria-labelledby="test-title">
      <header>
        <h2 id="test-title">Send a test</h2>
      </header>
      <div class="body">
        <div class="field">
          <label for="testTo">To</label>
          <div class="joined">
            <input
              class="input"
              id="testTo"
              name="testTo"
              form="broadcast-form"
              value={to}
              maxlength="1300"
              autocomplete="off"
              aria-describedby={error ? "test-hint testTo-error" : "test-hint"}
              aria-invalid={error ? "true" : undefined}
              {...(error && { "data-focus": true })}
            />
            <button type="submit" form="broadcast-form" class="btn" id="send-test" name="do" value="test">
              Send test
            </button>
          </div>
          <p class="hint" id="test-hint">
            Up to five addresses, separated by commas. The subject starts with [Test].
          </p>
          {error && (
            <p class="error" id="testTo-error">
              <Icon name="circle-alert" />
              {error}
            </p>
          )}
        </div>
      </div>
    </section>
  );
};
