/** The chart of the loop imports this module first: an older XState would fail at a function that it lacks. */
import { setup } from 'xstate'
import { assertFits } from '../../errors/fitting-peers.ts'

assertFits('xstate', '5.33', { 'setup().extend': setup({}).extend })
