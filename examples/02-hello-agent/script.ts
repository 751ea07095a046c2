/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are a bookkeeper': ({ number, results }) =>
    number === 0
      ? [{ name: 'add_vat', args: { net: 1249.9, percent: 19 } }]
      : `With 19 % VAT, 1249.90 comes to ${(JSON.parse(results[0] ?? '{}') as { gross: number }).gross}.`,
}
