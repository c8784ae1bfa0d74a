import { CliError } from '../../errors.ts';
import { type Encoding, encodingOf, textOf } from './encoding.ts';

const [quote, backslash, open, close, openObject, closeObject] = [...'"\\[]{}'].map((sign) => sign.charCodeAt(0));

/**
 * Reads the objects of a JSON array one at a time: memory does not grow with the file. Consecutive arrays count as one;
 * `gh api --paginate` writes such files.
 * @param said the encoding that the user names
 * @throws CliError if the file cannot be read or has another form
 */
export async function* elementsOf(file: string, said: Encoding | undefined): AsyncGenerator<unknown> {
  let depth = 0;
  let [inText, escaped, isBegun] = [false, false, false];
  let element: Buffer[] = [];
  const broken = (reason: string, cause?: unknown) => new CliError(`cannot read ${file}: ${reason}`, { cause });
  const parse = () => {
    try {
      return JSON.parse(Buffer.concat(element).toString('utf8'));
    } catch (error) {
      throw broken((error as Error).message, error);
    }
  };
  try {
    for await (const text of textOf(file, await encodingOf(file, said))) {
      const chunk = Buffer.from(text);
      let start = 0;
      for (let n = 0; n < chunk.length; n += 1) {
        const byte = chunk[n];
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quote) inText = false;
          continue;
        }
        if (byte === quote) inText = true;
        else if (byte === openObject || byte === open) {
          isBegun = true;
          if (depth === 0 && byte === openObject) throw broken('an array of objects is needed, [{…}, …]');
          depth += 1;
          if (depth === 2) start = n;
        } else if (byte === closeObject || byte === close) {
          depth -= 1;
          if (depth !== 1) continue;
          element.push(chunk.subarray(start, n + 1));
          yield parse();
          element = [];
        }
      }
      if (depth >= 2) element.push(chunk.subarray(start));
    }
  } catch (error) {
    throw error instanceof CliError ? error : broken((error as Error).message, error);
  }
  if (depth !== 0) throw broken('it ends in the middle');
  if (!isBegun) throw broken('it is empty');
}
