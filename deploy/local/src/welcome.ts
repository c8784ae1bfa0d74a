import { demoIdentifier } from './demo.ts';

/**
 * What `npm start` says of the demo workspace: how to make an API key, and a first request. Its token belongs on a person's
 * screen; output that goes into a file or to another program gets the command that makes one.
 * @param options.chosenState what `CARDINAL_STATE` says; undefined for the usual folder
 */
export const demoWelcome = (options: {
  baseUrl: string;
  token: string;
  /** Seconds that it is good for. */
  expiresIn: number;
  isTerminal: boolean;
  chosenState: string | undefined;
}): string => {
  const { baseUrl, token, expiresIn, isTerminal, chosenState } = options;
  const run = `${chosenState ? `CARDINAL_STATE='${chosenState}' ` : ''}npm run --silent`;
  const hours = Math.round(expiresIn / 360) / 10;
  const authorization = isTerminal ? `'Authorization: Bearer ${token}'` : `"Authorization: Bearer $(${run} token)"`;
  return `Make an API key for the demo workspace: ${run} key -- --name laptop --scope kanban:admin

Try, with a token that is good for ${isTerminal ? `${hours} hours` : 'an hour'}:
curl -s -H ${authorization} ${baseUrl}/cards/by-identifier/${demoIdentifier}`;
};
