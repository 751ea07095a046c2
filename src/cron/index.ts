/** Schedules by cron expressions, with the time zones and the summer times of the platform. */
export { cron } from './cron.ts'
