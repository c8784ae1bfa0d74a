/**
 * The parts of a byte stream between separators, decoded as UTF-8; what is none of it becomes U+FFFD. The last part is
 * what comes after the last separator, perhaps nothing.
 */
export async function* splitAt(separator: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const chunk of bytes) {
    const parts = decoder.decode(chunk, { stream: true }).split(separator);
    begun.push(parts.shift() ?? '');
    for (const next of parts) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('') + decoder.decode();
}
