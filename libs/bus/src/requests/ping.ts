import { defineRequest } from '@cardinal/contracts';
import { z } from 'zod';

/** Asks whether a service can do its work; every process that serves a request of the service serves this one, too. */
export const pingOf = (service: string) => defineRequest(`${service}.ping`, z.strictObject({}), z.strictObject({}));
