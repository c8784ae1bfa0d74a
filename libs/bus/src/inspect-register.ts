import type { Broker } from './broker.ts';
import { onBroker } from './connection.ts';
import { openRegister, type Register } from './register.ts';

/**
 * Reads and writes the register as the deploy step's user, for as long as `work` takes.
 * @throws CardinalError `unavailable` where the broker or the register is not there
 */
export const onRegister = <Result>(broker: Broker, work: (register: Register) => Promise<Result>): Promise<Result> =>
  onBroker(broker, { name: 'cardinal-doctor', timeout: 3_000 }, (nats) => work(openRegister({ nats })));
