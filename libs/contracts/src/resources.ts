/** What is declared of each resource: its schemas, operations, requests and events. `index.ts` collects them from here. */
export * from './adoption.ts';
export * from './board.ts';
export * from './bulk.ts';
export * from './card.ts';
export * from './column.ts';
export * from './comment.ts';
export * from './dependency.ts';
export * from './event.ts';
export * from './feed.ts';
export * from './file.ts';
export * from './identifier.ts';
export * from './label.ts';
export * from './me.ts';
export * from './reference.ts';
export * from './register.ts';
export * from './subtask.ts';
export * from './workstream.ts';
