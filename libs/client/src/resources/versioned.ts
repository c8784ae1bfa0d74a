/** What a write of a versioned resource names: the resource as last read, or just its id and version (`If-Match`). */
export interface Versioned {
  id: string;
  version: number;
}

/** `{"data": …}` of one resource. */
export interface DataOf<Resource> {
  data: Resource;
}
