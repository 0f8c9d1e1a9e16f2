import { Icon } from "../../components/icon";
import { path } from "./pictures";

/**
 * A button next to a URL field that opens the choice of images. pictures.ts inserts the image into the field with the
 * ID `wanted`.
 */
export const ChoosePicture = ({ id, wanted }: { id: string; wanted: string }) => (
  <a
    class="btn sm"
    id={id}
    href={`${path}?for=${wanted}`}
    target="_blank"
    hx-get={`${path}?for=${wanted}`}
    hx-target="#dialog"
  >
    <Icon name="image" />
    Choose or upload…
  </a>
);
