/** No transfer and no check takes this long, ms: what was not finished since, nobody comes back for. */
export const stragglingMs = 3_600_000;
