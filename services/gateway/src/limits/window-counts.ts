import { LRUCache } from 'lru-cache';

export interface WindowCounts {
  /**
   * Adds to what a key has used in its present window, or takes away.
   * @returns what it has used now, and ms until the window ends
   */
  add(key: string, amount: number): { current: number; ttl: number };
}

/**
 * Counts by key in windows of `windowMs`, in this process.
 * @param size keys counted at once; beyond it those are forgotten that were used longest ago
 */
export const windowCounts = (windowMs: number, size: number): WindowCounts => {
  const windows = new LRUCache<string, { used: number; endsAt: number }>({ max: size });
  return {
    add(key, amount) {
      const now = Date.now();
      let window = windows.get(key);
      if (!window || window.endsAt <= now) {
        window = { used: 0, endsAt: now + windowMs };
        windows.set(key, window);
      }
      window.used = Math.max(0, window.used + amount);
      return { current: window.used, ttl: window.endsAt - now };
    },
  };
};
