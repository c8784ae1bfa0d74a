import sharp from 'sharp';
import { renditionSizes } from '../domain/raster.ts';
import { isWholeGif } from './gif.ts';
import { createRoom } from './room.ts';

// Only loaders of raster formats; whatever else the bytes claim to be, no other decoder ever sees them.
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

/** An image that decoded from its first byte to its last; of an animation the first frame. */
export interface DecodedImage {
  /** Upright, as it is seen. */
  width: number;
  height: number;
  renditions: { width: number; height: number; webp: Buffer }[];
}

/** Why an image was refused. */
type ImageFault = 'broken_image' | 'too_many_pixels';

/** Decodes an image wholly and makes its renditions. Answers what is wrong with it where it does not decode. */
export type ImageDecoder = (path: string) => Promise<DecodedImage | ImageFault>;

/** A decoder gives up after this time, in seconds. */
const decodeTimeout = 60;

/**
 * @param maxPixels of one image, judged by its header before anything is decoded; and of all that are decoded at once,
 *   because some formats take 20 bytes a pixel to decode
 */
export const createImageDecoder = (maxPixels: number): ImageDecoder => {
  const options = { limitInputPixels: maxPixels, failOn: 'warning', sequentialRead: true, pages: 1 } as const;
  const room = createRoom(maxPixels);

  const decode = async (path: string, upright: { width: number; height: number }): Promise<DecodedImage> => {
    const sizes = renditionSizes(upright);
    const widest = sizes.at(-1) ?? upright;
    // Decoded once, to the widest; the others are made from its pixels.
    const { data, info } = await sharp(path, options)
      .autoOrient()
      .resize({ ...widest, fit: 'fill' })
      .toColourspace('srgb')
      .timeout({ seconds: decodeTimeout })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = { raw: { width: info.width, height: info.height, channels: info.channels } };
    const renditions: DecodedImage['renditions'] = [];
    for (const size of sizes) {
      const webp = await sharp(data, pixels)
        .resize({ ...size, fit: 'fill' })
        .webp()
        .toBuffer();
      renditions.push({ ...size, webp });
    }
    return { width: upright.width, height: upright.height, renditions };
  };

  return async (path) => {
    try {
      const { format, autoOrient } = await sharp(path, options).metadata();
      if (format === 'gif' && !(await isWholeGif(path))) return 'broken_image';
      return await room.enter(autoOrient.width * autoOrient.height, () => decode(path, autoOrient));
    } catch (error) {
      return /pixel limit/i.test(String(error)) ? 'too_many_pixels' : 'broken_image';
    }
  };
};
