import { describe, expect, test } from 'vitest'
import { memoryStore } from 'troupe'
import { storeContract } from 'troupe/testing'

describe('memoryStore()', () => {
  test.each(storeContract({ open: () => ({ store: memoryStore() }) }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
