/** Entries and appends as stores see them, as the published contract makes them. */
export {
  appends,
  called,
  fired,
  message,
  settled,
  started,
} from '../../src/testing/store-contract/entries.ts'
