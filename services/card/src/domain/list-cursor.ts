/** What a cursor keeps of something in an ordered list, as it was when its version was this. */
export interface Spot {
  id: string;
  position: number;
  version: number;
}

/** What the sort keys of the last row say. */
export const spotOf = ([id, position, version]: readonly [id: string, position: number, version: number]): Spot => ({
  id,
  position,
  version,
});

/**
 * Says where the next page begins. A rebalancing gives new positions to things that nobody moved and leaves their versions
 * (api-decisions, "Cards"), so one of the same version stands where it is now. One that was written since may have
 * been moved: the list goes on from where it stood then, and every thing that stayed is listed once. Of cards
 * `open-lists.ts` says the same.
 */
export const positionOf = (then: Spot, now: Spot | undefined): number =>
  now?.version === then.version ? now.position : then.position;
