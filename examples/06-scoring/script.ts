/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You write notices': ({ number }) =>
    number === 0
      ? 'Dear readers, due to urgent works on the roof the library will unfortunately have to remain closed until further notice.'
      : 'The library is closed for works on the roof. We open again on Monday at nine.',
}
