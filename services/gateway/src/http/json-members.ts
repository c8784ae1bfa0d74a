const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Whether a JSON text has more than so many members and elements, nested ones included. It is told from its bytes in one
 * pass without building anything, because a mebibyte of small fields takes a parser fifty times as long as one of text.
 * Of what is no JSON it says something, which does not matter.
 */
export const hasMoreMembersThan = (json: Uint8Array, most: number): boolean => {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
};
