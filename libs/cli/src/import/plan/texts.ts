const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How many code points a text has. */
export const lengthOf = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/**
 * Cuts a text to at most `max` code points, between two graphemes, and appends an ellipsis. A grapheme of more than
 * `max` code points is cut inside.
 */
export const shorten = (text: string, max: number): string => {
  if (text.length <= max || lengthOf(text) <= max) return text;
  // Segments only the part of a long text that can be kept.
  const head = [...text.slice(0, 2 * max + 2)].slice(0, max).join('');
  const kept: string[] = [];
  let points = 1;
  for (const { segment } of graphemes.segment(head)) {
    points += lengthOf(segment);
    if (points > max) break;
    kept.push(segment);
  }
  // The last grapheme may continue beyond the segmented part.
  if (points <= max) kept.pop();
  const whole = kept.length > 0 ? kept.join('') : [...head].slice(0, max - 1).join('');
  return `${whole.trimEnd()}…`;
};

/** A text in pieces of at most `max` code points. */
export const pieces = (text: string, max: number): string[] => {
  if (text.length <= max) return [text];
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / max) }, (_, n) =>
    points.slice(n * max, (n + 1) * max).join(''),
  );
};
