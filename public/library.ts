/* What pages of pictures do besides uploading: drag into folders, move the focal point, replace a picture. */
import "./storage/focal";
import "./storage/library";
import "./storage/replace";
