import { expect, test } from 'vitest';
import { isRaster, renditionWidths } from './raster.ts';

test('renditions are never wider than the image', () => {
  expect(renditionWidths(4000)).toEqual([320, 640, 1280]);
  expect(renditionWidths(1280)).toEqual([320, 640, 1280]);
  expect(renditionWidths(800)).toEqual([320, 640, 800]);
  expect(renditionWidths(320)).toEqual([320]);
  expect(renditionWidths(1)).toEqual([1]);
});

test('a drawing is no raster image', () => {
  expect(isRaster('image/svg+xml')).toBe(false);
  expect(isRaster('image/avif')).toBe(true);
});
