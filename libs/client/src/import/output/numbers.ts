/** 6523 as 6,523. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

/** A duration as a person says it. */
export const duration = (ms: number): string => {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};
