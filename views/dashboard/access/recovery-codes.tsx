import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { Head } from "../shell";

/** The codes, shown this once: the database has only their hashes. */
export const RecoveryCodesPage = ({ codes }: { codes: string[] }) => (
  <>
    <Head title="Recovery codes" lead="Each code lets you sign in once if you lose access to your authenticator app." />
    <section class="card sheet">
      <div class="body">
        <div class="note">
          <Icon name="triangle-alert" />
          <p>Write these codes down or print this page now. They will not be shown again.</p>
        </div>
        <ul class="codes">
          {codes.map((code) => (
            <li>{code}</li>
          ))}
        </ul>
        <footer>
          <a class="btn primary" href={paths.account}>
            I have saved them
          </a>
        </footer>
      </div>
    </section>
  </>
);
