/** Why something failed, in one line, with what was behind it. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `: ${reasonOf(error.cause)}`;
  return `${error.message.split('\n', 1)[0]}${cause}`;
};
