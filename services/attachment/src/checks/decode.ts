import sharp from 'sharp';
import { boundsFaultOf } from './image-bounds.ts';
import { renditionSizes } from './rules.ts';

// Only loaders of raster formats: no other decoder ever gets the bytes, whatever they claim to be.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

/** Why an image is refused. `too_complex`: its structure, memory or time is out of proportion to its pixels. */
export type ImageFault = 'broken_image' | 'too_many_pixels' | 'too_complex';

interface Decoded {
  /** Upright, as displayed. */
  width: number;
  height: number;
  renditions: { width: number; height: number; webp: Buffer }[];
}

/**
 * Decodes a whole image, of an animation the first frame, and makes its renditions.
 * @param maxPixels checked by the header before anything is decoded
 * @returns the fault of an image that does not decode
 */
export const decode = async (path: string, maxPixels: number): Promise<Decoded | ImageFault> => {
  const options = { limitInputPixels: maxPixels, failOn: 'warning', sequentialRead: true, pages: 1 } as const;
  const fault = boundsFaultOf(path);
  if (fault) return fault;
  try {
    const { autoOrient } = await sharp(path, options).metadata();
    const upright = { width: autoOrient.width, height: autoOrient.height };
    const sizes = renditionSizes(upright);
    const widest = sizes.at(-1) ?? upright;
    // Decoded once, to the widest rendition; the others are made from its pixels.
    const { data, info } = await sharp(path, options)
      .autoOrient()
      .resize({ ...widest, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = { raw: { width: info.width, height: info.height, channels: info.channels } };
    const renditions: Decoded['renditions'] = [];
    for (const size of sizes) {
      const webp = await sharp(data, pixels)
        .resize({ ...size, fit: 'fill' })
        .webp()
        .toBuffer();
      renditions.push({ ...size, webp });
    }
    return { ...upright, renditions };
  } catch (error) {
    return /pixel limit/i.test(String(error)) ? 'too_many_pixels' : 'broken_image';
  }
};
