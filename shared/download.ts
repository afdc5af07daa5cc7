/** The reason of a refusal, with `not_ready`, of a file that waits for others: the page asks again. */
export const waitingForFiles = 'waiting_for_files'
