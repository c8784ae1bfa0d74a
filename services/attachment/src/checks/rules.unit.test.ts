import { expect, test } from 'vitest';
import { isRaster, renditionSizes } from './rules.ts';

const sizes = (width: number, height: number) =>
  renditionSizes({ width, height }).map((size) => `${size.width}x${size.height}`);

test('renditions are never larger than the image and keep its shape', () => {
  expect(sizes(4000, 3000)).toEqual(['320x240', '640x480', '1280x960']);
  expect(sizes(1280, 1)).toEqual(['320x1', '640x1', '1280x1']);
  expect(sizes(800, 600)).toEqual(['320x240', '640x480', '800x600']);
  expect(sizes(320, 320)).toEqual(['320x320']);
  expect(sizes(1, 1)).toEqual(['1x1']);
});

test('renditions of a very high image stay within what WebP can hold', () => {
  expect(sizes(1000, 40_000)).toEqual(['320x12800', '409x16360']);
  expect(sizes(2, 40_000)).toEqual(['1x16383']);
});

test('a drawing is no raster image', () => {
  expect(isRaster('image/svg+xml')).toBe(false);
  expect(isRaster('image/avif')).toBe(true);
});
