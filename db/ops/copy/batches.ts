const maxRows = 1_000;
const maxBytes = 8_000_000; // a batch is one parameter, which PostgreSQL limits to 1 GB

/** Returns a function that takes the size of the next row, and says whether the batch ends with that row. */
export function batches(): (bytes: number) => boolean {
  let [rows, total] = [0, 0];
  return (bytes) => {
    [rows, total] = [rows + 1, total + bytes];
    const isFull = rows >= maxRows || total >= maxBytes;
    if (isFull) [rows, total] = [0, 0];
    return isFull;
  };
}
