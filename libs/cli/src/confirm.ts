import { createInterface } from 'node:readline/promises';

/** Asks a question at the terminal. @returns whether the answer is yes; false where nobody can answer */
export const confirm = async (question: string): Promise<boolean> => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), closed])).trim());
  } finally {
    lines.close();
  }
};
