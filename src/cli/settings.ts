export const commands = [];
