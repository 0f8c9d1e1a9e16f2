import { Icon } from "../../../components/icon";

/** The template of the row that the script makes for each file. */
export const Row = () => (
  <template data-row>
    <li class="up">
      <p class="file">
        <span class="who" data-name />
        <span class="sub" data-place />
      </p>
      <p data-badge />
      <div class="far">
        <progress max="100" value="0" />
        <p class="sub" data-line />
      </div>
      <p class="acts">
        <button type="button" class="btn sm" data-go />
        <button type="button" class="btn sm icon-only quiet" data-cancel>
          <Icon name="x" />
        </button>
      </p>
    </li>
  </template>
);
