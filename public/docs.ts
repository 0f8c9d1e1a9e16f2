/* What the documentation gains by a script. Without it, everything can be read, chosen and searched all the same. */
import { addCopyButtons } from "./docs/copy";
import { rememberLanguage } from "./docs/languages";
import { followMovedAnchor } from "./docs/moved";
import { searchWhileTyping } from "./docs/search";

followMovedAnchor();
rememberLanguage();
addCopyButtons();
searchWhileTyping();
