/** What the model says offline: first an answer without the shape, then, told why, one that has it. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You read invoices': ({ number }) =>
    JSON.stringify(
      number === 0
        ? { supplier: 'Bright & Sons', due: '14 September', items: [{ name: 'desk lamp', euros: '89.90' }] }
        : {
            supplier: 'Bright & Sons',
            due: '2026-09-14',
            items: [
              { name: 'desk lamp', euros: 89.9 },
              { name: 'delivery', euros: 6.5 },
            ],
          },
    ),
}
