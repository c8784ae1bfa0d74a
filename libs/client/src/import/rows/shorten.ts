/** Cuts a text to at most `max` code points, the last one an ellipsis where something was cut. */
export const shorten = (text: string, max: number): string => {
  const points = [...text];
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
};
