/** Control characters, separators of paths, and what turns the direction of the text that follows. */
const deceptive = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Characters of RFC 8187 `attr-char` stay, all others are percent-encoded. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** What old clients get for a name that is not plain ASCII. */
const plain = (name: string) => name.replace(/[^\x20-\x7e]|["%]/g, '_');

/**
 * `Content-Disposition` of a download (RFC 6266): shown only where it is a raster image, kept away from the browser's
 * own viewers in every other case. The name is that of a file in one folder, whatever its characters.
 */
export const dispositionOf = (name: string, isShown: boolean): string => {
  const safe = name.replace(deceptive, '_');
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain(safe)}"; filename*=UTF-8''${encoded(safe)}`;
};
