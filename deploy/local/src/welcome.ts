import { demoIdentifier } from './demo.ts';

/**
 * What `npm start` says of the demo workspace. A token belongs on a person's screen; output that goes into a file or to
 * another program gets the command that makes one.
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
  const command = `${chosenState ? `CARDINAL_STATE='${chosenState}' ` : ''}npm run --silent token`;
  const url = `${baseUrl}/cards/by-identifier/${demoIdentifier}`;
  if (!isTerminal) {
    return `A token for the demo workspace, good for an hour: ${command}

Try:
curl -s -H "Authorization: Bearer $(${command})" ${url}`;
  }
  return `A token for the demo workspace, good for ${Math.round(expiresIn / 360) / 10} hours (more: ${command}):
${token}

Try:
curl -s -H 'Authorization: Bearer ${token}' ${url}`;
};
