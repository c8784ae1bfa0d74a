/** A service that did not come up; `output` holds its last log lines. */
export class ServiceFailure extends Error {
  readonly output: string;
  constructor(name: string, why: string, output: string) {
    super(`${name} ${why}\n${output}`);
    this.output = output;
  }
}
