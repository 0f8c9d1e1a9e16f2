import { Icon } from "../../components/icon";
import { path } from "./pictures";

/** Beside a field for an address: the way to an image. pictures.ts puts it into the field with the id `wanted`. */
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
