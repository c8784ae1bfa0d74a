/** Lets work in while there is room for it, in the order in which it came. */
export interface Room {
  /** @param size what the work takes up; what is larger than the room has it for itself */
  enter<T>(size: number, work: () => Promise<T>): Promise<T>;
}

export const createRoom = (capacity: number): Room => {
  let taken = 0;
  const waiting: { size: number; enter: () => void }[] = [];

  const letIn = () => {
    for (let next = waiting[0]; next && taken + next.size <= capacity; next = waiting[0]) {
      waiting.shift();
      taken += next.size;
      next.enter();
    }
  };

  return {
    async enter(wanted, work) {
      const size = Math.min(wanted, capacity);
      const { promise: turn, resolve } = Promise.withResolvers<void>();
      waiting.push({ size, enter: resolve });
      letIn();
      await turn;
      try {
        return await work();
      } finally {
        taken -= size;
        letIn();
      }
    },
  };
};
