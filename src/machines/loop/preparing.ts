/** `preparing`: what stands before the first model call. */
import { recalling } from './recalling.ts'
import { loopSetup } from './setup.ts'

export const preparing = loopSetup.createStateConfig({
  id: 'preparing',
  initial: 'choosing',
  states: {
    choosing: { always: [{ guard: 'hasMemory', target: 'recalling' }, { target: '#thinking' }] },
    recalling: recalling('#thinking'),
  },
})
