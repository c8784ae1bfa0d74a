const seconds = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads `3600`, `90s`, `15m`, `1h` or `2d` as seconds; undefined for anything else and for zero. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  const total = match ? Number(match[1]) * seconds[match[2] as keyof typeof seconds] : 0;
  return total > 0 ? total : undefined;
};
