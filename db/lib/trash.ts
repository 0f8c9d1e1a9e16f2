/** How long what was deleted lies in the trash and can be restored (D39). */
export const trashRetentionMs = 30 * 86_400_000;
