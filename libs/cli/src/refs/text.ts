import { type Occurrence, occurrencesIn } from '@cardinal/contracts';
import { splitAt } from './split.ts';

/** A reference where it stands, both counted from 1, the column in code points. */
export type Place = Pick<Occurrence, 'requested' | 'identifier' | 'prefix'> & { line: number; column: number };

/** What looks like an identifier in a text of any length, line by line (CONTRACT 4.6). */
export async function* referencesIn(text: AsyncIterable<Uint8Array>, anyCase: boolean): AsyncGenerator<Place> {
  let line = 0;
  for await (const content of splitAt('\n', text)) {
    line += 1;
    for (const { requested, identifier, prefix, start } of occurrencesIn(content, anyCase)) {
      yield { requested, identifier, prefix, line, column: start + 1 };
    }
  }
}
