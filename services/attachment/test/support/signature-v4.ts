import { createHash, createHmac } from 'node:crypto';

/** A request as it is signed. Header names are in lower case. */
interface SignedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Names of the headers that are signed, joined by `;`. */
  signedHeaders: string;
  /** The hash of the body in hex, or `UNSIGNED-PAYLOAD`. */
  payload: string;
  /** As in `X-Amz-Date`. */
  date: string;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The AWS signature (version 4) of a request to S3, computed as Amazon's documentation says, without its library. */
export const signatureOf = (request: SignedRequest, { secret, region }: { secret: string; region: string }): string => {
  const { method, url, headers, signedHeaders, payload, date } = request;
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const names = signedHeaders.split(';').map((name) => `${name}:${headers[name]?.trim()}\n`);
  const canonical = [method, url.pathname, query.join('&'), names.join(''), signedHeaders, payload].join('\n');
  const day = date.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString('hex');
};
