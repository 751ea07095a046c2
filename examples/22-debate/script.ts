/** What the model says offline. Whoever is shown the proposals of the others thinks again. */
import type { Script, Turn } from '../support/scripted-server.ts'

const says =
  (first: string, later: string) =>
  ({ prompt }: Turn) =>
    prompt.includes('Criticise these proposals') ? later : first

export const script: Script = {
  'You are the engineer': says(
    'A bridge: it lasts for eighty years.',
    'A bridge, but of wood: it lasts for forty years at half the price.',
  ),
  'You are the treasurer': says(
    'A ferry: a bridge costs four times as much.',
    'A wooden bridge, if the county pays a third.',
  ),
  'You are the ferryman': says('A ferry: it is how we live.', 'A ferry, still.'),
  'You chair a village council': ({ prompt }) =>
    prompt.includes('Not heard, or not to the end: ferryman')
      ? 'A wooden bridge, if the county pays a third. The ferryman disagrees, and was not heard to the end.'
      : 'A wooden bridge.',
}
