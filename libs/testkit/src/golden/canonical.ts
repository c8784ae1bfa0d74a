const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const moments = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** The text of a golden file: what differs from run to run, ids and times, is replaced in the order it comes up. */
export const canonical = (value: unknown): string => {
  const known = new Map<string, string>();
  const name = (id: string) => {
    const text = known.get(id) ?? `00000000-0000-7000-8000-${String(known.size + 1).padStart(12, '0')}`;
    known.set(id, text);
    return text;
  };
  const text = JSON.stringify(value, null, 2).replace(uuids, name).replace(moments, '2026-01-02T03:04:05.678Z');
  return `${text}\n`;
};
