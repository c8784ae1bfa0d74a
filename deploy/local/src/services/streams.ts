/** Declares the event stream with the user of the deploy step. */
export const declareBusStreams = async (url: string) => {
  const { declareStreams } = await import('@cardinal/bus');
  await declareStreams({ url });
};
