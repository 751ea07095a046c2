/** `troupe/restate` imports this module first: the clients of an older release cannot wait without end. */
import * as clients from '@restatedev/restate-sdk-clients'
import { assertFits } from '../../errors/fitting-peers.ts'

const { defaultShouldRetry } = clients as Partial<typeof clients>

assertFits('@restatedev/restate-sdk-clients', '1.16', { defaultShouldRetry })
