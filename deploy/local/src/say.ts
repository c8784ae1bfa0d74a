const clock = () => new Date().toTimeString().slice(0, 8);

/** One line of progress for the person at the terminal. */
export const say = (line: string) => process.stdout.write(`${clock()}  ${line}\n`);

/** Text for copying, without a clock. */
export const show = (text: string) => process.stdout.write(`${text}\n`);

// Whoever read our output may leave (`npm start | head`); the stack runs on.
process.stdout.on('error', () => {});
