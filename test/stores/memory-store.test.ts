import { describe } from 'vitest'
import { memoryStore } from 'troupe'
import { storeContract } from './contract.ts'

describe('memoryStore()', () => {
  storeContract(() => ({ store: memoryStore() }))
})
